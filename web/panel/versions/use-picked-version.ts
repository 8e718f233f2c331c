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
  type Picked = { v: string | undefined };
  const [picked, setPicked] = useState<Picked>();
  const followed = useRef<{ atMs: number; picked?: Picked }>({ atMs: -pauseMs });
  const waitMs = () => followed.current.atMs + pauseMs - performance.now();
  async function follow(next: Picked): Promise<void> {
    followed.current = { atMs: performance.now(), picked: next };
    await update(next.v);
    setPicked((now) => (now === next ? undefined : now));
  }
  const followLate = useEffectEvent(follow);
  useEffect(() => {
    if (picked === undefined || picked === followed.current.picked) return undefined;
    const timer = setTimeout(() => void followLate(picked), Math.max(0, waitMs()));
    return () => clearTimeout(timer);
  }, [picked]);
  return {
    shown: picked === undefined ? v : picked.v,
    pick(next) {
      const now = { v: next };
      setPicked(now);
      if (waitMs() <= 0) void follow(now);
    },
  };
}
