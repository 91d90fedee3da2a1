import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";

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
