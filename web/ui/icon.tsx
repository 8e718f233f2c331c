import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import PanelLeft from "lucide-react/icons/panel-left";
import type { LucideIcon } from "lucide-react";

/** 1.5 px: the weight of the interface's letters. */
const stroke = 1.5;

/** Drawings of what stands on one side of the page: where that is turned round, so are they. */
const sided = new Set<LucideIcon>([PanelLeft, ChevronLeft, ChevronRight]);

/** One drawing, `size` px square; for the eye only, the control it stands in has the name. */
export function Icon({ of: Drawing, size = 18 }: { of: LucideIcon; size?: number }) {
  return (
    <Drawing
      size={size}
      strokeWidth={(stroke * 24) / size}
      aria-hidden
      focusable={false}
      data-sided={sided.has(Drawing) || undefined}
    />
  );
}
