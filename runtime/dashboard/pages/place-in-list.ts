import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";

/** How far a list was scrolled, and the row that was looked at last. */
interface Place {
  offset?: number;
  row?: string | undefined;
}

export interface PlaceInList {
  /** As it was when this entry of the browser's history was left; undefined: it is a new one. */
  before: Place | undefined;
  keep(place: Place): void;
}

/** By entry of the browser's history: Back is such an entry again, a link to the same list is a new one. Nothing of it outlives the page. */
const places = new Map<string, Place>();
/** Entries that are remembered; a browser keeps as many. */
const MOST = 50;

export function usePlaceInList(): PlaceInList {
  const { history } = useRouter();
  const own = useRef(history.location);
  // It is shown, and may still be moved by a scroll that ends, while the page comes that one goes to: the address is of that by then.
  const entry = () => {
    if (history.location.pathname === own.current.pathname) own.current = history.location;
    return String(own.current.state.__TSR_key ?? "");
  };
  const before = useRef(places.get(entry()));
  const keep = (place: Place) => {
    const now = { ...places.get(entry()), ...place };
    places.delete(entry());
    places.set(entry(), now);
    const [oldest] = places.keys();
    if (places.size > MOST && oldest !== undefined) places.delete(oldest);
  };
  return { before: before.current, keep };
}
