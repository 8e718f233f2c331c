import { createContext, type RefObject, useEffect, useState } from "react";

/** Reports whether an element is near the viewport, and its height, until the returned function is called. */
type WatchNearness = (element: Element, onChange: (isNear: boolean, height: number) => void) => () => void;

export const NearnessContext = createContext<WatchNearness>(() => () => {});

/**
 * Watches elements in a scroller with one observer. Near means at most two viewports away. Chromium renders what has
 * `content-visibility: auto` within one and a half, so it would at once render again what became far earlier.
 */
export function useNearness(scroller: RefObject<HTMLElement | null>): WatchNearness {
  const [{ watch, start }] = useState(createNearness);
  useEffect(() => start(scroller.current), [start, scroller]);
  return watch;
}

function createNearness() {
  const listeners = new Map<Element, Parameters<WatchNearness>[1]>();
  let observer: IntersectionObserver | undefined;
  const watch: WatchNearness = (element, onChange) => {
    listeners.set(element, onChange);
    observer?.observe(element);
    return () => {
      listeners.delete(element);
      observer?.unobserve(element);
    };
  };
  const start = (root: Element | null) => {
    observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, boundingClientRect } of entries)
          listeners.get(target)?.(isIntersecting, boundingClientRect.height);
      },
      { root, rootMargin: "200% 0px" },
    );
    for (const element of listeners.keys()) observer.observe(element);
    return () => observer?.disconnect();
  };
  return { watch, start };
}
