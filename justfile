# Recipes for everyday work; `just` lists them.

[private]
default:
    @just --list --unsorted

# Serve the built-in organization on 127.0.0.1:9991; options go to the server
[group('run')]
serve *options:
    cargo run -- serve {{ options }}

# Serve it with the names that stock clients expect
[group('run')]
serve-zulip *options:
    cargo run -- serve --dialect zulip {{ options }}

# Run the tests; arguments go to cargo, such as a part of a test's name
[group('check')]
test *arguments:
    cargo test {{ arguments }}

# Play the scenarios; arguments such as --update or --url go to the program
[group('check')]
scenarios *arguments:
    cargo run -- scenario run scenarios/*.md {{ arguments }}

# Draw many more values for the property tests, and send long random sequences of requests, also from many clients at once, for about an hour; a seed may be given
[group('check')]
soak seed=choose('9', '123456789'):
    PROPTEST_RNG_SEED={{ seed }} PROPTEST_CASES=20000 cargo test --release --lib -- no_pattern_panics it_is_a tests::properties
    CHATDOUBLE_SOAK={{ seed }} cargo test --release --test suite -- properties:: concurrency:: --nocapture

# Put the optimized program under random and steady load, for the given minutes each, and print its memory and its slowest replies
[group('check')]
endurance minutes="60" *which:
    CHATDOUBLE_ENDURANCE={{ minutes }} cargo test --release --test suite -- endurance::{{ which }} --nocapture --test-threads 1

# Check the formatting, lint without a warning, run the tests
[group('check')]
check:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    cargo test

# Run stock clients and a browser against the program: all checks, or some of those that tests/clients/run --help lists
[group('check')]
clients *checks:
    cargo build
    tests/clients/run {{ checks }}

# Measure the speed against bare warp; words select the figures
[group('check')]
bench *words:
    cargo bench --bench bench -- {{ words }}

# Run all that CI runs
[group('check')]
ci:
    .ci/run

# Format everything
[group('maintain')]
format:
    cargo fmt
    tests/clients/run --install-only
    tests/clients/console/node_modules/.bin/prettier --write --log-level warn '**/*.{js,cjs,mjs,ts,cts}'

# Update the pictures of docs/console.md
[group('maintain')]
pictures:
    cargo build
    tests/clients/run --install-only
    node tests/clients/console/pictures.js --binary target/debug/chatdouble

# Update the generated documents
[group('maintain')]
docs:
    CHATDOUBLE_UPDATE_DOCS=1 cargo test generated
