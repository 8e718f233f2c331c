import { useEffect, useEffectEvent, useRef, useState } from "react";

/** Browsers refuse to change the address more often than about 100 times in 30 s. */
const pauseMs = 400;

/**
 * The version to show: the one that the person has just picked, or else that of the address. The address follows at once,
 * and at intervals while the slider moves.
 */
export function usePickedVersion(
  v: string | undefined,
  update: (v: string | undefined) => Promise<void>,
): { shown: string | undefined; pick(v: string | undefined): void } {
  const [picked, setPicked] = useState<{ v: string | undefined }>();
  const followedAt = useRef(-pauseMs);
  const follow = useEffectEvent(async (next: { v: string | undefined }) => {
    followedAt.current = performance.now();
    await update(next.v);
    setPicked((now) => (now === next ? undefined : now));
  });
  useEffect(() => {
    if (picked === undefined) return undefined;
    const timer = setTimeout(
      () => void follow(picked),
      Math.max(0, followedAt.current + pauseMs - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [picked]);
  return { shown: picked === undefined ? v : picked.v, pick: (next) => setPicked({ v: next }) };
}
