import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import PanelLeft from "lucide-react/icons/panel-left";
import type { LucideIcon } from "lucide-react";

/** 1.5 px, like the strokes of the interface font. */
const stroke = 1.5;

/** Icons that point left or right. They are mirrored when the page runs from right to left. */
const sided = new Set<LucideIcon>([PanelLeft, ChevronLeft, ChevronRight]);

/** An icon, `size` px square at the normal text size. Hidden from screen readers: the control around it has the name. */
export function Icon({ of: Drawing, size = 18 }: { of: LucideIcon; size?: number }) {
  return (
    <Drawing
      size={`${size / 16}rem`}
      strokeWidth={(stroke * 24) / size}
      aria-hidden
      focusable={false}
      data-sided={sided.has(Drawing) || undefined}
    />
  );
}
