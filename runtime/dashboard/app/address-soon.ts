import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

/** Debounce time in ms: browsers reject some hundred changes of the URL within seconds. */
const REST_MS = 100;

/** Writes typed text into the URL after a pause, unless a navigation came, which the write would revert. */
export function useAddressSoon<T>(write: (typed: T) => void, restMs = REST_MS): (typed: T) => void {
  const router = useRouter();
  const page = useRef("");
  const soon = useDebouncedCallback((typed: T) => {
    if (router.latestLocation.pathname === page.current) write(typed);
  }, restMs);
  return (typed) => {
    page.current = router.latestLocation.pathname;
    soon(typed);
  };
}

/** Search text: updated here at once, and soon after in the URL, which wins if it changes otherwise. */
export function useSearchText(
  inAddress: string,
  write: (text: string) => void,
  restMs = REST_MS,
): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(inAddress);
  const written = useRef(inAddress);
  useEffect(() => {
    if (written.current === inAddress) return;
    written.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  const toAddress = useAddressSoon((typed: string) => {
    written.current = typed;
    write(typed);
  }, restMs);
  const type = (typed: string) => {
    setText(typed);
    toAddress(typed);
  };
  return [text, type];
}
