//! Tracks indentation in languages where it is significant, such as YAML. Actions and effects are those of the lexer of
//! Pygments for YAML, which real servers highlight with.

/// The classes of Pygments for the content of a constant, and for misplaced white space.
const CONSTANT: &str = "no";
const MISPLACED_SPACE: &str = "w w-Error";

/// What a match means for the indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndentAction {
    /// A directive, or the beginning or end of a document.
    Reset,
    /// The spaces at the start of a line.
    Start,
    /// Further spaces, which may belong to the indentation.
    Save,
    /// The match begins a block. Its length adds to the indentation of a block that begins after it in the line.
    Set,
    /// The match begins a block, and its length adds nothing to the indentation.
    SetImplicit,
    /// The header of a block scalar, which may have an indentation indicator.
    BlockHead,
    /// A blank line in a block scalar.
    BlockBlank,
    /// The indentation of a line in a block scalar.
    Block,
    /// The indentation of a continuation line of a plain scalar.
    Plain,
}

/// How the lexer treats a match.
pub(super) enum Effect {
    Keep,
    /// The part after this many bytes gets another class.
    Divide(usize, &'static str),
    /// The two innermost states end before the match.
    Leave,
}

impl IndentAction {
    pub(super) fn from_name(name: &str) -> Option<Self> {
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

/// Indentation of the current blocks, in spaces. None, which is less than each number: text outside of all blocks.
#[derive(Default)]
pub(super) struct Indentation {
    /// Enclosing blocks, outermost first.
    enclosing: Vec<Option<usize>>,
    /// The innermost block.
    current: Option<usize>,
    /// The indentation of a block that begins at this place of the line: the spaces at its start, and the indicators
    /// such as `- ` and further spaces after them.
    next: usize,
    /// The indentation of the current block scalar. None: not known yet.
    block_scalar: Option<usize>,
}

impl Indentation {
    pub(super) fn apply(&mut self, action: IndentAction, text: &str) -> Effect {
        let length = text.len();
        match action {
            IndentAction::Reset => *self = Self::default(),
            IndentAction::Start => return self.start_line(length),
            IndentAction::Save => self.next += length,
            IndentAction::Set | IndentAction::SetImplicit => {
                if self.current < Some(self.next) {
                    self.enclosing.push(self.current);
                    self.current = Some(self.next);
                }
                if action == IndentAction::Set {
                    self.next += length;
                }
            }
            IndentAction::BlockHead => {
                let indicator = text.chars().find_map(|character| character.to_digit(10));
                self.block_scalar = indicator.map(|indicator| self.current.unwrap_or(0) + indicator as usize);
            }
            IndentAction::BlockBlank => match self.block_scalar {
                Some(block) if length > block => return Effect::Divide(block, CONSTANT),
                _ => {}
            },
            IndentAction::Block => {
                let is_outside = match self.block_scalar {
                    None => length <= self.current.unwrap_or(0),
                    Some(block) => length < block,
                };
                if is_outside {
                    return Effect::Leave;
                }
                self.block_scalar.get_or_insert(length);
            }
            IndentAction::Plain if Some(length) <= self.current => return Effect::Leave,
            IndentAction::Plain => {}
        }
        Effect::Keep
    }

    fn start_line(&mut self, length: usize) -> Effect {
        self.next = length;
        if Some(length) >= self.current {
            return Effect::Keep;
        }
        while Some(length) < self.current {
            self.current = self.enclosing.pop().flatten();
        }
        match self.current {
            Some(current) if length > current => Effect::Divide(current, MISPLACED_SPACE),
            // Without an enclosing block, the last space is an error.
            None if length > 0 => Effect::Divide(length - 1, MISPLACED_SPACE),
            _ => Effect::Keep,
        }
    }
}
