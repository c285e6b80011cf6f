// Command modzip writes this module as the zip file that a module proxy serves: modzip <version> <file>. It is run in the module's folder.
package main

import (
	"archive/zip"
	"io/fs"
	"log"
	"os"
	"path/filepath"
)

const module = "github.com/duetime/duetime/sdks/go"

func main() {
	if len(os.Args) != 3 {
		log.Fatal("give a version, such as v0.1.0, and a file to write")
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func write(version, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	add := func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		writer, err := archive.Create(module + "@" + version + "/" + filepath.ToSlash(name))
		if err != nil {
			return err
		}
		_, err = writer.Write(text)
		return err
	}
	if err := filepath.WalkDir(".", add); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Close()
}
