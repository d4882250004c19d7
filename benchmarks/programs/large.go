// Finds something with a regular expression: with Go's runtime and library 3 MB.
package main

import (
	"fmt"
	"regexp"
	"sort"
	"time"
)

func main() {
	names := []string{"world", "Hello"}
	sort.Strings(names)
	found := regexp.MustCompile("H.*!").FindString(fmt.Sprintf("say %s, %s!", names[0], names[1]))
	fmt.Println(found, time.Unix(0, 0).UTC().Format(time.RFC1123))
}
