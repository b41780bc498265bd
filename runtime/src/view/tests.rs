//! Arrays, looked at from both ends.

use alloc::vec;
use alloc::vec::Vec;

use super::{Be, Items, Le, List, Place, Result, Walked};
use crate::varint::GroupOrder;

fn list(bytes: &[u8], count: i128) -> Result<List<'_, Le<u16>>> {
    List::counted(Place::of(bytes), Some(count))
}

#[test]
fn elements_of_one_size() {
    let bytes = [1, 0, 2, 0, 3, 0, 4, 0, 9];
    let list = list(&bytes, 4).unwrap();
    assert_eq!((list.len(), list.is_empty(), list.as_bytes()), (4, false, &bytes[..8]));
    assert_eq!(list.iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(list.iter().rev().collect::<Vec<_>>(), [4, 3, 2, 1]);
    assert_eq!([0, 3, 4, usize::MAX].map(|at| list.get(at)), [Some(1), Some(4), None, None]);
    assert_eq!(list.into_iter().step_by(2).collect::<Vec<_>>(), [1, 3]);
    let mut both = list.iter();
    assert_eq!((both.next(), both.next_back(), both.len()), (Some(1), Some(4), 2));
    assert_eq!((both.nth(1), both.next(), both.next_back()), (Some(3), None, None));
    assert_eq!((list.iter().nth(4), list.iter().nth(usize::MAX)), (None, None));
    assert_eq!(list.behind().address(), 8);
    assert!(List::<Le<u16>>::empty(Place::of(&bytes)).is_empty());
}

#[test]
fn the_order_of_bytes() {
    let bytes = [0, 1, 0x3f, 0x80, 0, 0];
    let one: List<'_, Be<u16>> = List::counted(Place::of(&bytes), Some(1)).unwrap();
    assert_eq!(one.get(0), Some(1));
    let floats: List<'_, Be<f32>> = List::counted(Place::of(&bytes).forward(2), Some(1)).unwrap();
    assert_eq!(floats.get(0), Some(1.0));
}

#[test]
fn lengths_that_are_none() {
    let bytes = [0; 5];
    let code = |count| list(&bytes, count).map(|_| ()).unwrap_err().kind().code();
    assert_eq!(code(3), "unexpected_end");
    assert_eq!(code(-1), "negative_count");
    assert_eq!(code(i128::MAX), "unexpected_end");
    let fill = List::<Le<u16>>::filling(Place::of(&bytes)).map(|_| ()).unwrap_err();
    assert_eq!(fill.kind().code(), "size_not_multiple");
    assert_eq!(List::<Le<u16>>::filling(Place::of(&bytes[..4])).unwrap().len(), 2);
}

#[test]
fn numbers_that_could_be_shorter() {
    let read = |bytes: &'static [u8]| {
        let found = Place::of(bytes).forward(1).shortest_varint(GroupOrder::MsbFirst, 3, 16);
        found
            .map(|(number, behind)| (number, behind.address()))
            .map_err(|error| (error.kind().code(), error.offset()))
    };
    assert_eq!(read(&[9, 5]), Ok((5, 2)));
    assert_eq!(read(&[9, 0x81, 5]), Ok((133, 3)));
    assert_eq!(read(&[9, 0x80, 5]), Err(("varint_not_shortest", 1)));
}

/// A byte, and as many more as it says.
struct Counted;

impl<'a> Walked<'a> for Counted {
    type Item = &'a [u8];

    fn walk(first: &Place<'a>, passed: usize) -> Result<(&'a [u8], usize)> {
        let place = first.forward(passed);
        let [length] = place.block::<1>()?;
        let bytes = place.forward(1).take(usize::from(*length))?;
        Ok((bytes, passed + 1 + bytes.len()))
    }
}

#[test]
fn elements_of_many_sizes() {
    let bytes = [1, 7, 0, 2, 8, 9, 5];
    let items: Items<'_, Counted> = Items::counted(Place::of(&bytes), Some(3)).unwrap();
    assert_eq!(items.iter().map(Result::unwrap).collect::<Vec<_>>(), [&[7][..], &[], &[8, 9]]);
    assert_eq!(items.behind().unwrap().address(), 6);
    // The fourth is cut; behind an error there is none.
    let mut all = Items::<'_, Counted>::filling(Place::of(&bytes)).iter();
    assert!(all.by_ref().take(3).all(|item| item.is_ok()));
    let error = all.next().unwrap().unwrap_err();
    assert_eq!((error.offset(), error.kind().code()), (7, "unexpected_end"));
    assert!(all.next().is_none());
}

#[test]
fn elements_are_handed_over() {
    let bytes = [1, 7, 0, 2, 8, 9, 5];
    let sizes = |items: Items<'_, Counted>, most: usize| {
        let mut sizes = Vec::new();
        let result = items.each(|item| {
            sizes.push(item.len());
            if sizes.len() < most {
                Ok(())
            } else {
                Err(Place::of(&bytes).null())
            }
        });
        (sizes, result.map_err(|error| (error.offset(), error.kind().code())))
    };
    let three = Items::counted(Place::of(&bytes), Some(3)).unwrap();
    assert_eq!(sizes(three, usize::MAX), (vec![1, 0, 2], Ok(())));
    let filling = Items::filling(Place::of(&bytes));
    assert_eq!(sizes(filling, usize::MAX), (vec![1, 0, 2], Err((7, "unexpected_end"))));
    // An error of the function ends it, too.
    assert_eq!(sizes(filling, 2).0, [1, 0]);
    let mut empty = 0;
    let counted: Result<()> = Items::<'_, Empty>::filling(Place::of(&bytes)).each(|()| {
        empty += 1;
        Ok(())
    });
    assert!(counted.is_ok());
    assert_eq!(empty, 1);
}

/// Nothing.
struct Empty;

impl<'a> Walked<'a> for Empty {
    type Item = ();

    fn walk(_: &Place<'a>, passed: usize) -> Result<((), usize)> {
        Ok(((), passed))
    }
}

#[test]
fn elements_without_bytes_end() {
    let bytes = [0; 3];
    assert_eq!(Items::<'_, Empty>::filling(Place::of(&bytes)).iter().count(), 1);
    assert_eq!(
        Items::<'_, Empty>::counted(Place::of(&bytes), Some(65_000)).unwrap().iter().count(),
        65_000
    );
    // As many as readers allow for a file of this size.
    let most = 0x10000 + 3 * 64;
    assert!(Items::<'_, Empty>::counted(Place::of(&bytes), Some(most)).is_ok());
    assert!(Items::<'_, Empty>::counted(Place::of(&bytes), Some(most + 1)).is_err());
}
