/** Whether the system asks for little motion. */
export function motionWish(): MediaQueryList {
  return matchMedia("(prefers-reduced-motion: reduce)");
}

export function isMotionUnwanted(): boolean {
  return motionWish().matches;
}

/** Whether little may move on this page: as the person has chosen, else as the system asks. */
export function isStill(): boolean {
  return document.documentElement.dataset["motion"] === "reduced";
}
