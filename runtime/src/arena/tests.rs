use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::{Common, Nesting, Pack, Pool, Pools, Run, SpellingId, Spellings, Texts};
use crate::straight as s;
use crate::{Kept, KeptKind, KeptValue, ProblemKind, Spelling, SpellingEntry, Utf16};

/// A tree whose nodes are numbers or lists.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Leaf(u8),
    List(Vec<Tree>),
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Leaf(u8),
    List(Run<Node>),
}

impl Pack<Arena> for Tree {
    type Packed = Node;

    fn pack(&self, arena: &mut Arena, nesting: Nesting) -> Result<Node, ProblemKind> {
        let nesting = nesting.deeper()?;
        Ok(match self {
            Tree::Leaf(number) => Node::Leaf(*number),
            Tree::List(list) => Node::List(list.pack(arena, nesting)?),
        })
    }

    fn unpack(packed: &Node, arena: &Arena, nesting: Nesting) -> Result<Tree, ProblemKind> {
        let nesting = nesting.deeper()?;
        Ok(match packed {
            Node::Leaf(number) => Tree::Leaf(*number),
            Node::List(list) => Tree::List(Pack::unpack(list, arena, nesting)?),
        })
    }
}

#[derive(Default)]
struct Arena {
    nodes: Pool<Node>,
    numbers: Pool<u16>,
    lists: Pool<Run<u16>>,
    bytes: Pool<u8>,
    texts: Texts,
    spellings: Spellings,
}

macro_rules! pools {
    ($($field:ident: $ty:ty,)*) => {$(
        impl Pools<$ty> for Arena {
            fn pool(&self) -> &Pool<$ty> {
                &self.$field
            }

            fn pool_mut(&mut self) -> &mut Pool<$ty> {
                &mut self.$field
            }
        }
    )*};
}

pools!(nodes: Node, numbers: u16, lists: Run<u16>, bytes: u8,);

impl Common for Arena {
    fn texts(&self) -> &Texts {
        &self.texts
    }

    fn texts_mut(&mut self) -> &mut Texts {
        &mut self.texts
    }

    fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    fn spellings_mut(&mut self) -> &mut Spellings {
        &mut self.spellings
    }
}

#[test]
fn parts_of_runs() {
    let mut pool = Pool::default();
    pool.extend([0_u8; 3]).unwrap();
    let run = pool.extend([1_u8, 2, 3]).unwrap();
    assert_eq!((run.len(), run.is_empty()), (3, false));
    assert_eq!(alloc::format!("{run:?}"), "3..6");
    let slice = |run: Option<Run<u8>>| run.map(|run| pool[run].to_vec());
    assert_eq!(slice(run.get(2)), Some(vec![3]));
    assert_eq!(slice(run.get(3)), None);
    assert_eq!(slice(run.get(usize::MAX)), None);
    assert_eq!(slice(run.slice(..)), Some(vec![1, 2, 3]));
    assert_eq!(slice(run.slice(1..=1)), Some(vec![2]));
    assert_eq!(slice(run.slice(3..)), Some(vec![]));
    assert_eq!(slice(run.slice(4..)), None);
    assert_eq!(slice(run.slice(..4)), None);
    assert_eq!(slice(run.slice(..=usize::MAX)), None);
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = run.slice(2..1);
    assert_eq!(reversed, None);
    assert!(Run::<Node>::default().is_empty());
    assert_eq!((size_of::<Run<u64>>(), align_of::<Run<u64>>()), (8, 4));
}

#[test]
fn positions_have_32_bits() {
    let last = u32::MAX as usize;
    let run = Run::<u8>::between(last, last).unwrap();
    assert!(run.is_empty());
    assert_eq!(run.range(), last..last);
    assert_eq!(Run::<u8>::between(0, last).unwrap().len(), last);
    assert!(Run::<u8>::between(0, last + 1).is_none());
    assert!(Run::<u8>::between(2, 1).is_none());
}

/// As many elements as there are positions but one; they take no room.
#[test]
fn a_pool_that_is_full() {
    const MOST: usize = u32::MAX as usize;
    let done: Box<[()]> = Box::new([(); MOST - 1]);
    let mut pool = Pool { done: done.into_vec(), open: vec![(); 2] };
    assert!(pool.close(0).is_none());
    assert!(pool.extend([(), ()]).is_none());
    assert_eq!((pool.len(), pool.mark()), (MOST - 1, 2));
    assert_eq!(pool.close(1).map(Run::len), Some(1));
    assert!(pool.extend([()]).is_none());
    assert_eq!(pool.extend([]).map(Run::len), Some(0));
}

#[test]
fn lists_in_lists() {
    let mut arena = Arena::default();
    let outer = s::opened::<Node, _>(&arena);
    s::pushed(&mut arena, &outer, Node::Leaf(1));
    let inner = s::opened::<Node, _>(&arena);
    s::pushed(&mut arena, &inner, Node::Leaf(2));
    s::pushed(&mut arena, &inner, Node::Leaf(3));
    let inner = s::closed(&mut arena, inner).unwrap();
    s::pushed(&mut arena, &outer, Node::List(inner));
    s::pushed(&mut arena, &outer, Node::Leaf(4));
    let outer = s::closed(&mut arena, outer).unwrap();
    assert_eq!(arena.nodes.mark(), 0);
    let tree = Tree::unpack(&Node::List(outer), &arena, Nesting::default()).unwrap();
    let inner = Tree::List(vec![Tree::Leaf(2), Tree::Leaf(3)]);
    assert_eq!(tree, Tree::List(vec![Tree::Leaf(1), inner, Tree::Leaf(4)]));
}

#[test]
fn runs_of_parts() {
    let mut arena = Arena::default();
    let bytes = s::bytes_in(&mut arena, b"abc").unwrap();
    assert_eq!(s::list_of(&arena, &bytes), b"abc");
    let text = s::text_in(&mut arena, "grün").unwrap();
    assert_eq!(s::text_of(&arena, &text), "grün");
    assert_eq!(arena.texts.get(text.slice(..3).unwrap()), None);
    let units = s::units_in(&mut arena, &[1, 0, 2, 0]).unwrap();
    assert_eq!(s::list_of(&arena, &units), [1, 2]);
    let units = s::units_in_be(&mut arena, &[1, 0, 2, 0]).unwrap();
    assert_eq!(s::list_of(&arena, &units), [0x100, 0x200]);
    let one = s::boxed_in(&mut arena, 7_u16).unwrap();
    assert_eq!(*s::one_of(&arena, &one), 7);
}

#[test]
#[should_panic = "the list at 0..3 is not of this arena, which has 2 elements of its type"]
fn a_run_of_another_pool() {
    let run = Pool::default().extend([1, 2, 3]).unwrap();
    let mut pool = Pool::default();
    pool.extend([1, 2]).unwrap();
    let _ = &pool[run];
}

#[test]
#[should_panic = "a list of 2 elements stands where exactly one must be"]
fn a_box_of_two() {
    let mut arena = Arena::default();
    let run = s::gathered(&mut arena, [1_u16, 2].into_iter()).unwrap();
    s::one_of(&arena, &run);
}

fn spelling(row: u16) -> Spelling {
    let mut spelling = Spelling::default();
    spelling.keep(SpellingEntry {
        row,
        index: None,
        kind: KeptKind::Width,
        stored: KeptValue::Int(5),
        instead_of: KeptValue::Int(1),
    });
    spelling
}

#[test]
fn equal_spellings_have_one_number() {
    let mut arena = Arena::default();
    assert_eq!(s::spelled(&mut arena, Spelling::default()), Ok(SpellingId::CANONICAL));
    let one = s::spelled(&mut arena, spelling(1)).unwrap();
    let two = s::spelled(&mut arena, spelling(2)).unwrap();
    assert_eq!(s::spelled(&mut arena, spelling(1)), Ok(one));
    assert!(one != two && !one.is_canonical() && SpellingId::default().is_canonical());
    assert_eq!(*s::spelling_of(&arena, &one), spelling(1));
    assert_eq!(*s::spelling_of(&arena, &two), spelling(2));
    assert!(s::spelling_of(&arena, &SpellingId::CANONICAL).is_canonical());
    assert_eq!((size_of::<SpellingId>(), align_of::<SpellingId>()), (3, 1));
}

#[test]
fn numbers_of_spellings_have_24_bits() {
    let last = SpellingId::new(0xff_ffff).unwrap();
    assert_eq!(last.number(), 0xff_ffff);
    assert_eq!(SpellingId::new(0x100_0000), None);
}

/// Packs a value and unpacks it again.
fn again<T: Pack<Arena>>(value: &T) -> T {
    let mut arena = Arena::default();
    let packed = value.pack(&mut arena, Nesting::default()).unwrap();
    T::unpack(&packed, &arena, Nesting::default()).unwrap()
}

#[test]
fn values_come_back() {
    let lists = vec![vec![1_u16, 2], vec![], vec![3]];
    assert_eq!(again(&lists), lists);
    assert_eq!(again(&Some(Box::new(5_u16))), Some(Box::new(5)));
    assert_eq!(again(&[Some(1.5_f32), None]), [Some(1.5), None]);
    for kept in [Kept::canonical(), Kept::from(3_u8), Kept::instead_of(4, 5)] {
        assert_eq!(again(&kept), kept);
    }
    assert_eq!(again(&Cow::Borrowed("text")), "text");
    assert_eq!(again(&Cow::Borrowed(&b"bytes"[..])), &b"bytes"[..]);
    assert_eq!(again(&Utf16::from("units")), "units");
    assert_eq!(again(&spelling(3)), spelling(3));
    assert!(again(&Spelling::default()).is_canonical());
}

/// Lists in lists, so many.
fn nested(levels: u32) -> Tree {
    (1..levels).fold(Tree::Leaf(0), |tree, _| Tree::List(vec![tree]))
}

#[test]
fn as_deep_as_is_allowed() {
    let tree = nested(256);
    assert_eq!(again(&tree), tree);
    let mut arena = Arena::default();
    let error = nested(257).pack(&mut arena, Nesting::default()).unwrap_err();
    assert_eq!(error, ProblemKind::DepthLimit { limit: 256 });
    assert!(nested(257).pack(&mut arena, Nesting::new(257)).is_ok());
    let packed = nested(5).pack(&mut arena, Nesting::default()).unwrap();
    let error = Tree::unpack(&packed, &arena, Nesting::new(4)).unwrap_err();
    assert_eq!(error, ProblemKind::DepthLimit { limit: 4 });
}

/// However deep nesting is allowed, the stack suffices: 2 MiB in tests.
#[test]
fn a_list_in_itself() {
    let mut arena = Arena::default();
    let run = s::boxed_in(&mut arena, Node::Leaf(0)).unwrap();
    arena.nodes[run][0] = Node::List(run);
    let error = Tree::unpack(&Node::List(run), &arena, Nesting::new(u32::MAX)).unwrap_err();
    assert!(matches!(error, ProblemKind::DepthLimit { limit: 256.. }), "{error}");
}
