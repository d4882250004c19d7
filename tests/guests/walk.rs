// Works with files below the directory that it is given, by Rust's library: makes, walks, renames, deletes.
// build: rustc --target wasm32-wasi -C opt-level=s -C lto -C panic=abort -C strip=symbols -o walk_rust.wasm walk.rs
// build: npx jco new walk_rust.wasm --wasi-command -o components/walk_rust.wasm
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

fn walk(root: &Path, path: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.path().strip_prefix(root).unwrap().display().to_string();
        if entry.file_type()?.is_dir() {
            lines.push(format!("{}/", name));
            walk(root, &entry.path(), lines)?;
        } else {
            lines.push(format!("{} {}", name, entry.metadata()?.len()));
        }
    }
    Ok(())
}

fn show(root: &Path, when: &str) -> io::Result<()> {
    let mut lines = Vec::new();
    walk(root, root, &mut lines)?;
    lines.sort();
    println!("{}", when);
    for line in lines {
        println!("  {}", line);
    }
    Ok(())
}

/// As `fs::remove_dir_all`, which loses entries where cookies change with what is removed, as under wasmtime.
fn remove_all(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.collect::<Vec<_>>() {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_all(&entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(path)
}

fn main() -> io::Result<()> {
    let argument = std::env::args().nth(1).expect("a directory");
    let root = Path::new(&argument);
    fs::create_dir_all(root.join("a/b/c"))?;
    for i in 0..5 {
        fs::write(root.join(format!("a/file{}", i)), "x".repeat(i * 1000))?;
    }
    show(root, "made")?;
    fs::rename(root.join("a/file4"), root.join("a/b/c/moved"))?;
    fs::rename(root.join("a/b"), root.join("b"))?;
    println!("a file onto a directory: {:?}", fs::rename(root.join("a/file3"), root.join("b")).map_err(|e| e.raw_os_error()));
    println!("what is not there: {:?}", fs::read(root.join("nothing")).map_err(|e| e.kind()));
    println!("above the root: {:?}", fs::read(root.join("../secret")).is_err());
    let mut file = fs::OpenOptions::new().read(true).write(true).open(root.join("a/file1"))?;
    file.seek(SeekFrom::Start(998))?;
    file.write_all(b"abcd")?;
    file.seek(SeekFrom::End(-5))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    println!("the end is {}", text);
    file.set_len(3)?;
    drop(file);
    fs::OpenOptions::new().append(true).open(root.join("a/file1"))?.write_all(b"more")?;
    println!("now {}", fs::read_to_string(root.join("a/file1"))?);
    fs::copy(root.join("a/file2"), root.join("b/copy"))?;
    fs::hard_link(root.join("a/file2"), root.join("b/hard"))?;
    show(root, "changed")?;
    println!("a full directory: {:?}", fs::remove_dir(root.join("b")).is_err());
    remove_all(&root.join("b"))?;
    fs::remove_file(root.join("a/file0"))?;
    show(root, "removed")?;
    remove_all(&root.join("a"))?;
    show(root, "nothing left")
}
