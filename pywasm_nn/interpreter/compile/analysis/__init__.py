"""What a look at a body tells before and while it is translated."""
