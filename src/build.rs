//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
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
