import { type ReactNode, type UIEventHandler, useLayoutEffect, useRef, useState } from "react";
import { observeSize } from "#web/lib/observe-size.ts";

type ScrollBoxProps = {
  as?: "div" | "pre" | "span";
  label: string;
  className?: string | undefined;
  dir?: "ltr" | "auto";
  "data-wrapped"?: true | undefined;
  "data-folded"?: true | undefined;
  "data-danger"?: true | undefined;
  onScroll?: UIEventHandler<HTMLElement> | undefined;
  children: ReactNode;
};

/** A box that scrolls. While its content overflows, the keyboard can focus it, and `label` is its accessible name. */
export function ScrollBox({ as: Tag = "div", label, children, ...props }: ScrollBoxProps) {
  const box = useRef<HTMLElement | null>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    return observeSize([element, ...element.children], () =>
      setScrolls(
        element.scrollWidth > element.clientWidth + 1 ||
          // What is folded cannot be scrolled down.
          (element.dataset["folded"] === undefined && element.scrollHeight > element.clientHeight + 1),
      ),
    );
  }, []);
  return (
    <Tag
      {...props}
      ref={(element: HTMLElement | null) => void (box.current = element)}
      {...(scrolls ? { role: "region", tabIndex: 0, "aria-label": label } : {})}
    >
      {children}
    </Tag>
  );
}
