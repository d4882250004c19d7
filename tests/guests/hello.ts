// build: npx asc hello.ts -o hello_assemblyscript.wasm -Oz --config ../../node_modules/@assemblyscript/wasi-shim/asconfig.json
console.log("Hello, world!");
