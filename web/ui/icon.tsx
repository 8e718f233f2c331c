import type { LucideIcon } from "lucide-react";

/** 1.5 px: the weight of the interface's letters. */
const stroke = 1.5;

/** One drawing, `size` px square; for the eye only, the control it stands in has the name. */
export function Icon({ of: Drawing, size = 18 }: { of: LucideIcon; size?: number }) {
  return <Drawing size={size} strokeWidth={(stroke * 24) / size} aria-hidden focusable={false} />;
}
