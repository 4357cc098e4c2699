//! Indentation, where it has a meaning.

/// What a match says of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indent {
    /// A document begins.
    Reset,
    /// The spaces of a line.
    Start,
    /// Spaces behind them, which may belong to it.
    Save,
    /// What is there begins a block.
    Set,
    /// The same, but what is there is not part of the indentation.
    SetImplicit,
    /// The head of a block of text, which may say how far it is indented.
    BlockHead,
    /// A blank line in a block of text.
    BlockBlank,
    /// The spaces of a line in a block of text.
    Block,
    /// The spaces of a line that goes on with a text.
    Plain,
}

/// What becomes of a match.
pub(super) enum Effect {
    Whole,
    /// What is behind so many bytes is of another class.
    Divided(usize, &'static str),
    /// The two innermost states end before it.
    Leave,
}

impl Indent {
    pub(super) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "reset" => Self::Reset,
            "start" => Self::Start,
            "save" => Self::Save,
            "set" => Self::Set,
            "set-implicit" => Self::SetImplicit,
            "block-head" => Self::BlockHead,
            "block-blank" => Self::BlockBlank,
            "block" => Self::Block,
            "plain" => Self::Plain,
            _ => return None,
        })
    }
}

/// How far blocks are indented, in spaces.
#[derive(Default)]
pub(super) struct Indentation {
    /// Those of the blocks around, outermost first.
    around: Vec<Option<usize>>,
    /// That of the innermost block.
    current: Option<usize>,
    next: usize,
    /// That of a block of text.
    block: Option<usize>,
}

impl Indentation {
    pub(super) fn apply(&mut self, indent: Indent, text: &str) -> Effect {
        let length = text.len();
        match indent {
            Indent::Reset => *self = Self::default(),
            Indent::Start => return self.start(length),
            Indent::Save => self.next += length,
            Indent::Set | Indent::SetImplicit => {
                if self.current < Some(self.next) {
                    self.around.push(self.current);
                    self.current = Some(self.next);
                }
                if indent == Indent::Set {
                    self.next += length;
                }
            }
            Indent::BlockHead => {
                let more = text.chars().find_map(|character| character.to_digit(10));
                self.block = more.map(|more| self.current.unwrap_or(0) + more as usize);
            }
            Indent::BlockBlank => match self.block {
                Some(block) if length > block => return Effect::Divided(block, "no"),
                _ => {}
            },
            Indent::Block => {
                let leaves = match self.block {
                    None => length <= self.current.unwrap_or(0),
                    Some(block) => length < block,
                };
                if leaves {
                    return Effect::Leave;
                }
                self.block.get_or_insert(length);
            }
            Indent::Plain if Some(length) <= self.current => return Effect::Leave,
            Indent::Plain => {}
        }
        Effect::Whole
    }

    fn start(&mut self, length: usize) -> Effect {
        self.next = length;
        if Some(length) >= self.current {
            return Effect::Whole;
        }
        while Some(length) < self.current {
            self.current = self.around.pop().flatten();
        }
        match self.current {
            Some(current) if length > current => Effect::Divided(current, "w w-Error"),
            // One space is in error where no block is around.
            None if length > 0 => Effect::Divided(length - 1, "w w-Error"),
            _ => Effect::Whole,
        }
    }
}
