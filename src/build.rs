//! What is made when the program is built: how it is linked, and tables that it would otherwise make at each start.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A line per emoji, ordered by code: the code, then its names.
const EMOJI: &str = "src/realm/model/emoji/table.txt";

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed={EMOJI}");
    link();
    let folder = std::env::var("OUT_DIR").expect("cargo sets it");
    let table = std::fs::read_to_string(EMOJI).expect("the table is readable");
    std::fs::write(Path::new(&folder).join("emoji.rs"), emoji(&table)).expect("the folder can be written to");
}

fn link() {
    // Without a fixed address the loader would rewrite, at each start, a page for every table of texts that there is.
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // With a fixed address the linker names a loader even where all is linked statically: an empty image has none.
        let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if features.split(',').any(|feature| feature == "crt-static") {
            println!("cargo::rustc-link-arg-bins=-Wl,--no-dynamic-linker");
        }
    }
}

/// The emoji as Rust: all of them, their codes by name, and the characters that they begin with, each ordered.
fn emoji(table: &str) -> String {
    let mut rows = String::new();
    let mut by_name = BTreeMap::new();
    let mut starters = BTreeSet::new();
    for line in table.lines() {
        let (code, names) = line.split_once(' ').expect("a code and names");
        let names: Vec<&str> = names.split(' ').collect();
        let first = code.split('-').next().expect("a code is not empty");
        starters.insert(u32::from_str_radix(first, 16).expect("a code is of hexadecimal numbers"));
        names.iter().for_each(|name| _ = by_name.entry(*name).or_insert(code));
        writeln!(rows, "UnicodeEmoji {{ code: {code:?}, names: &{names:?} }},").expect("a text can be written to");
    }
    let by_name: Vec<(&str, &str)> = by_name.into_iter().collect();
    let starters: String = starters.iter().map(|number| format!("'\\u{{{number:x}}}', ")).collect();
    format!(
        "static ROWS: &[UnicodeEmoji] = &[\n{rows}];\n\
         static BY_NAME: &[(&str, &str)] = &{by_name:?};\n\
         static STARTERS: &[char] = &[{starters}];\n"
    )
}
