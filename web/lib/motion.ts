export function reducedMotionQuery(): MediaQueryList {
  return matchMedia("(prefers-reduced-motion: reduce)");
}

export function prefersReducedMotion(): boolean {
  return reducedMotionQuery().matches;
}

/** Whether the page reduces motion, by the preference or else by the system setting. */
export function isMotionReduced(): boolean {
  return document.documentElement.dataset["motion"] === "reduced";
}
