//! Generates the emoji tables as Rust code, so that they need not be parsed at run time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A line per emoji, in the order of codes: the code and its names.
const EMOJI: &str = "src/emoji/table.txt";
/// A line per emoji and feature level at which its names changed: the level, the code, and the previous names, if any.
const FORMER_EMOJI: &str = "src/emoji/former.txt";

/// Names of each code.
type Table<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={EMOJI}");
    println!("cargo::rerun-if-changed={FORMER_EMOJI}");
    let folder = std::env::var("OUT_DIR").expect("cargo sets it");
    let [table, former] =
        [EMOJI, FORMER_EMOJI].map(|path| std::fs::read_to_string(path).expect("the table is readable"));
    let table: Table = table.lines().map(|line| parse_row(line).expect("a code and names")).collect();
    let tables = emoji(&table) + &former_emoji(&table, &former);
    std::fs::write(Path::new(&folder).join("emoji.rs"), tables).expect("the folder can be written to");
}

/// Parses a code and its names.
fn parse_row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.collect()))
}

/// The code of each name. If several codes share a name, it belongs to the first.
fn by_name<'a>(table: &Table<'a>) -> BTreeMap<&'a str, &'a str> {
    let mut codes = BTreeMap::new();
    for (code, names) in table {
        names.iter().for_each(|name| _ = codes.entry(*name).or_insert(*code));
    }
    codes
}

/// Rust code of the newest tables: all emoji, the code of each name, and the first characters of emoji, all sorted.
fn emoji(table: &Table) -> String {
    let starter = |code: &&str| {
        let first = code.split('-').next().expect("a code is not empty");
        u32::from_str_radix(first, 16).expect("a code is of hexadecimal numbers")
    };
    let starters: BTreeSet<u32> = table.keys().map(starter).collect();
    let starters: String = starters.iter().map(|number| format!("'\\u{{{number:x}}}', ")).collect();
    let by_name: Vec<(&str, &str)> = by_name(table).into_iter().collect();
    format!(
        "static ROWS: &[UnicodeEmoji] = &[\n{}];\n\
         static BY_NAME: &[(&str, &str)] = &{by_name:?};\n\
         static STARTERS: &[char] = &[{starters}];\n",
        rows(table.iter().map(|(code, names)| (*code, names.as_slice())))
    )
}

/// Rust code of the former tables: for each level at which names changed, the differences from the newest table below
/// that level.
fn former_emoji(newest: &Table, changes: &str) -> String {
    let mut by_level: BTreeMap<i64, Table> = BTreeMap::new();
    for line in changes.lines() {
        let (level, row) = line.split_once(' ').expect("a level and a row");
        let (code, names) = parse_row(row).expect("a code and names");
        by_level.entry(level.parse().expect("a level is a number")).or_default().insert(code, names);
    }
    let codes = by_name(newest);
    let mut table = newest.clone();
    let mut former = Vec::new();
    for (level, changed) in by_level.into_iter().rev() {
        for (code, names) in changed {
            if names.is_empty() {
                table.remove(code)
            } else {
                table.insert(code, names)
            };
        }
        let rows = rows(newest.iter().filter_map(|(code, names)| {
            let former_names = table.get(code).map_or(&[] as &[&str], Vec::as_slice);
            (former_names != names.as_slice()).then_some((*code, former_names))
        }));
        let former_codes = by_name(&table);
        let names: BTreeSet<&str> = codes.keys().chain(former_codes.keys()).copied().collect();
        let differs = |name: &&str| codes.get(name) != former_codes.get(name);
        let by_name: Vec<(&str, Option<&&str>)> =
            names.into_iter().filter(differs).map(|name| (name, former_codes.get(name))).collect();
        former.push(format!("FormerTable {{ before: {level}, rows: &[\n{rows}], by_name: &{by_name:?} }},\n"));
    }
    former.reverse();
    format!("static FORMER: &[FormerTable] = &[\n{}];\n", former.concat())
}

fn rows<'a>(table: impl Iterator<Item = (&'a str, &'a [&'a str])>) -> String {
    let mut rows = String::new();
    for (code, names) in table {
        writeln!(rows, "UnicodeEmoji {{ code: {code:?}, names: &{names:?} }},").expect("a text can be written to");
    }
    rows
}
