//! Generates the emoji tables as Rust code, so that they need not be parsed at run time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The file with a line per emoji, in the order of codes: the code and its names.
const EMOJI_PATH: &str = "src/emoji/table.txt";
/// The file with a line per emoji and feature level at which its names changed: the level, the code, and the previous
/// names, if any.
const FORMER_EMOJI_PATH: &str = "src/emoji/former.txt";

/// The names of each emoji, by its code.
type Table<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={EMOJI_PATH}");
    println!("cargo::rerun-if-changed={FORMER_EMOJI_PATH}");
    let folder = std::env::var("OUT_DIR").expect("cargo sets it");
    let [table_text, changes] =
        [EMOJI_PATH, FORMER_EMOJI_PATH].map(|path| std::fs::read_to_string(path).expect("the table is readable"));
    let table: Table = table_text.lines().map(|line| parse_row(line).expect("a code and names")).collect();
    let tables = newest_tables_code(&table) + &former_tables_code(&table, &changes);
    std::fs::write(Path::new(&folder).join("emoji.rs"), tables).expect("the folder can be written to");
}

fn parse_row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut fields = line.split(' ');
    Some((fields.next()?, fields.collect()))
}

/// The code of each name. If several codes share a name, it belongs to the first.
fn codes_by_name<'a>(table: &Table<'a>) -> BTreeMap<&'a str, &'a str> {
    let mut codes = BTreeMap::new();
    for (code, names) in table {
        names.iter().for_each(|name| _ = codes.entry(*name).or_insert(*code));
    }
    codes
}

/// Returns the Rust code of the newest tables: all emoji, the code of each name, and the first characters of emoji, all
/// sorted.
fn newest_tables_code(table: &Table) -> String {
    let first_character = |code: &&str| {
        let first = code.split('-').next().expect("a code is not empty");
        u32::from_str_radix(first, 16).expect("a code is of hexadecimal numbers")
    };
    let first_characters: BTreeSet<u32> = table.keys().map(first_character).collect();
    let first_characters_code: String =
        first_characters.iter().map(|number| format!("'\\u{{{number:x}}}', ")).collect();
    let by_name: Vec<(&str, &str)> = codes_by_name(table).into_iter().collect();
    format!(
        "static ROWS: &[UnicodeEmoji] = &[\n{}];\n\
         static BY_NAME: &[(&str, &str)] = &{by_name:?};\n\
         static FIRST_CHARACTERS: &[char] = &[{first_characters_code}];\n",
        rows_code(table.iter().map(|(code, names)| (*code, names.as_slice())))
    )
}

/// Returns the Rust code of the former tables: for each level at which names changed, the differences between the table
/// below that level and the newest table.
fn former_tables_code(newest: &Table, changes: &str) -> String {
    let mut by_level: BTreeMap<i64, Table> = BTreeMap::new();
    for line in changes.lines() {
        let (level, row) = line.split_once(' ').expect("a level and a row");
        let (code, names) = parse_row(row).expect("a code and names");
        by_level.entry(level.parse().expect("a level is a number")).or_default().insert(code, names);
    }
    let newest_codes = codes_by_name(newest);
    let mut table = newest.clone();
    let mut former_tables = Vec::new();
    for (level, changed) in by_level.into_iter().rev() {
        for (code, names) in changed {
            if names.is_empty() {
                table.remove(code)
            } else {
                table.insert(code, names)
            };
        }
        let rows = rows_code(newest.iter().filter_map(|(code, names)| {
            let former_names = table.get(code).map_or(&[] as &[&str], Vec::as_slice);
            (former_names != names.as_slice()).then_some((*code, former_names))
        }));
        let former_codes = codes_by_name(&table);
        let names: BTreeSet<&str> = newest_codes.keys().chain(former_codes.keys()).copied().collect();
        let differs = |name: &&str| newest_codes.get(name) != former_codes.get(name);
        let by_name: Vec<(&str, Option<&&str>)> =
            names.into_iter().filter(differs).map(|name| (name, former_codes.get(name))).collect();
        former_tables.push(format!("FormerTable {{ before: {level}, rows: &[\n{rows}], by_name: &{by_name:?} }},\n"));
    }
    former_tables.reverse();
    format!("static FORMER: &[FormerTable] = &[\n{}];\n", former_tables.concat())
}

fn rows_code<'a>(rows: impl Iterator<Item = (&'a str, &'a [&'a str])>) -> String {
    let mut rows_code = String::new();
    for (code, names) in rows {
        writeln!(rows_code, "UnicodeEmoji {{ code: {code:?}, names: &{names:?} }},").expect("a text can be written to");
    }
    rows_code
}
