//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    // Without a fixed address the loader would rewrite, at each start, a page for every table of texts that there is.
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
