import { useEffect, useEffectEvent } from "react";

type Events = WindowEventMap & Pick<DocumentEventMap, "visibilitychange" | "selectionchange">;

/**
 * Calls `listener` for an event of the window, also one that bubbles up to it. The listener sees the state of the last
 * render.
 */
export function useWindowEvent<Type extends keyof Events>(
  type: Type,
  listener: (event: Events[Type]) => void,
  { capture = false } = {},
): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const handle = (event: Event) => onEvent(event as Events[Type]);
    addEventListener(type, handle, capture);
    return () => removeEventListener(type, handle, capture);
  }, [type, capture]);
}
