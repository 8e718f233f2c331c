import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";

/** A place of the picture, as parts of its width and height, and where it is to be in the window. */
type Anchor = { partX: number; partY: number; x: number; y: number };
type Point = { x: number; y: number };

/** The maximum zoom: a multiple of the size at which the picture fits, or screen pixels per pixel of the picture. */
const largest = 4;
/** Pixels. A pointer that moves less has pressed. */
const pressMax = 6;
/** Pixels to the side that make a swipe. */
const swipeMin = 60;

/**
 * Zooms a picture within a box that scrolls, by wheel, pinch, press and drag. `zoom` is 1 when the whole picture fits.
 * `onSwipe` hears a finger that moves a whole picture to the side, `onPressBeside` a press beside it.
 */
export function useZoom({ onSwipe, onPressBeside }: { onSwipe(to: 1 | -1): void; onPressBeside(): void }) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<{ width: number; fit: number }>();
  const [zoom, setZoom] = useState(1);
  const anchor = useRef<Anchor>(undefined);
  const pointers = useRef(new Map<number, Point>());
  const drag = useRef<{ from: Point; isPress: boolean; isBeside: boolean }>(undefined);

  const measure = () => {
    const [frame, image] = [box.current, picture.current];
    if (frame === null || image === null || image.naturalWidth === 0) return;
    const ratio = image.naturalWidth / image.naturalHeight;
    const fit = Math.min(frame.clientWidth, frame.clientHeight * ratio, image.naturalWidth);
    setSize({ width: image.naturalWidth, fit });
  };
  const onResize = useEffectEvent(measure);
  const max = size === undefined ? 1 : largest * Math.max(1, size.width / size.fit);

  /** Zooms about a point of the window, by default its middle. Another point `to` is where that ends up. */
  const zoomBy = (factor: number, at: Point = middleOf(box.current), to = at) => {
    const rect = picture.current?.getBoundingClientRect();
    if (rect === undefined || rect.width === 0) return;
    anchor.current = {
      partX: (at.x - rect.left) / rect.width,
      partY: (at.y - rect.top) / rect.height,
      ...to,
    };
    setZoom((before) => Math.min(max, Math.max(1, before * factor)));
  };
  useLayoutEffect(() => {
    const rect = picture.current?.getBoundingClientRect();
    const { current: place } = anchor;
    if (rect === undefined || place === undefined) return;
    const [x, y] = [rect.left + place.partX * rect.width, rect.top + place.partY * rect.height];
    box.current?.scrollBy({ left: x - place.x, top: y - place.y, behavior: "instant" });
    anchor.current = undefined;
  }, [zoom]);

  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    // A pinch on a touchpad is a wheel with the Control key and smaller steps; Firefox counts lines.
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    zoomBy(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.002)), { x: event.clientX, y: event.clientY });
  });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // React's listeners are passive.
    element.addEventListener("wheel", onWheel, { passive: false });
    const watch = new ResizeObserver(() => onResize());
    watch.observe(element);
    return () => {
      element.removeEventListener("wheel", onWheel);
      watch.disconnect();
    };
  }, []);

  const handlers = {
    onPointerDown(event: React.PointerEvent) {
      drag.current = undefined;
      // A captured pointer presses no button.
      const isBeside = event.target === box.current;
      if (event.button !== 0 || !(isBeside || event.target === picture.current)) return;
      box.current?.setPointerCapture(event.pointerId);
      const from = pointOf(event);
      pointers.current.set(event.pointerId, from);
      const isFirst = pointers.current.size === 1;
      // A gesture of two fingers is no press and no swipe, also when one is lifted before the other.
      if (isFirst) drag.current = { from, isPress: true, isBeside };
    },
    onPointerMove(event: React.PointerEvent) {
      const before = pointers.current.get(event.pointerId);
      if (before === undefined) return;
      const now = pointOf(event);
      pointers.current.set(event.pointerId, now);
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) box.current?.scrollBy(before.x - now.x, before.y - now.y);
      else
        zoomBy(distance(now, other) / distance(before, other), between(before, other), between(now, other));
      if (drag.current !== undefined && distance(drag.current.from, now) > pressMax)
        drag.current.isPress = false;
    },
    onPointerUp(event: React.PointerEvent) {
      const now = pointOf(event);
      const { current: ended } = drag;
      const isSingle = pointers.current.delete(event.pointerId) && pointers.current.size === 0;
      if (ended === undefined || ended.isPress || !isSingle) return;
      const [x, y] = [now.x - ended.from.x, now.y - ended.from.y];
      const isSwipe = zoom === 1 && Math.abs(x) > swipeMin && Math.abs(x) > 2 * Math.abs(y);
      if (isSwipe && event.pointerType === "touch") onSwipe(x < 0 ? 1 : -1);
    },
    onPointerCancel(event: React.PointerEvent) {
      pointers.current.delete(event.pointerId);
      drag.current = undefined;
    },
    onClick(event: React.MouseEvent) {
      if (drag.current?.isPress !== true) return;
      if (drag.current.isBeside) onPressBeside();
      else if (zoom > 1) setZoom(1);
      else zoomBy(size === undefined ? 1 : Math.max(2, size.width / size.fit), pointOf(event));
    },
  };

  return {
    box,
    picture,
    handlers,
    measure,
    zoom,
    /** Pixels of the window for each of the picture's own. */
    scale: size && (size.fit * zoom) / size.width,
    width: size && size.fit * zoom,
    canEnlarge: zoom < max,
    zoomBy,
    fit: () => setZoom(1),
    /** Before another picture is shown. */
    reset() {
      setZoom(1);
      setSize(undefined);
    },
    /** Scrolls the enlarged picture. */
    pan: (x: number, y: number) => box.current?.scrollBy({ left: x, top: y }),
  };
}

function pointOf(event: { clientX: number; clientY: number }): Point {
  return { x: event.clientX, y: event.clientY };
}

function between(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** Never 0. */
function distance(a: Point, b: Point): number {
  return Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
}

function middleOf(element: Element | null): Point {
  const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
  return { x: left + width / 2, y: top + height / 2 };
}
