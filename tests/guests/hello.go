// build: env GOOS=wasip1 GOARCH=wasm go build -trimpath -ldflags=-s\ -w -o hello_go.wasm hello.go
package main

import "fmt"

func main() {
	fmt.Println("Hello, world!")
}
