"""`python -m pywasm_nn`."""

from .cli import main

if __name__ == "__main__":
    main()
