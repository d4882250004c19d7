// Works with files below the directory that it is given, by Go's library: makes, walks, renames, deletes.
// build: env GOOS=wasip1 GOARCH=wasm go build -trimpath -ldflags=-s\ -w -o walk_go.wasm walk.go
package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func say(words ...string) { os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

func tell(what string, err error) {
	switch e := err.(type) {
	case nil:
		say(what+":", "done")
	case *fs.PathError:
		say(what+":", e.Err.Error())
	case *os.LinkError:
		say(what+":", e.Err.Error())
	default:
		say(what+":", err.Error())
	}
}

func show(root, when string) {
	say(when)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			say(" ", name+"/")
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		say(" ", name, strconv.FormatInt(info.Size(), 10))
		return nil
	})
	if err != nil {
		tell("walking", err)
	}
}

func main() {
	root := os.Args[1]
	at := func(name string) string { return filepath.Join(root, name) }
	tell("create a/b/c", os.MkdirAll(at("a/b/c"), 0o777))
	for i := 0; i < 5; i++ {
		tell("write", os.WriteFile(at("a/file"+strconv.Itoa(i)), []byte(strings.Repeat("x", i*1000)), 0o666))
	}
	tell("link", os.Symlink("../file1", at("a/b/link")))
	show(root, "made")
	tell("rename", os.Rename(at("a/file4"), at("a/b/c/moved")))
	tell("rename a directory", os.Rename(at("a/b"), at("b")))
	tell("rename a file onto a directory", os.Rename(at("a/file3"), at("b")))
	_, err := os.ReadFile(at("nothing"))
	tell("read what is not there", err)
	tell("truncate", os.Truncate(at("a/file2"), 7))
	file, err := os.OpenFile(at("a/file2"), os.O_APPEND|os.O_WRONLY, 0)
	tell("open", err)
	file.WriteString("more")
	file.Close()
	data, err := os.ReadFile(at("a/file2"))
	tell(string(data), err)
	show(root, "changed")
	tell("remove what is full", os.Remove(at("b/c")))
	tell("remove all", os.RemoveAll(at("b")))
	tell("remove", os.Remove(at("a/file0")))
	show(root, "removed")
	tell("remove all", os.RemoveAll(at("a")))
	show(root, "nothing left")
}
