import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

type ScrollBoxProps = {
  as?: "div" | "pre" | "span";
  label: string;
  className?: string | undefined;
  dir?: "ltr" | "auto";
  "data-wrapped"?: true | undefined;
  "data-loss"?: true | undefined;
  children: ReactNode;
};

/**
 * A box that scrolls by itself. Only while there is something to scroll is it a stop for the keyboard, with `label` for
 * its name.
 */
export function ScrollBox({ as: Tag = "div", label, children, ...props }: ScrollBoxProps) {
  const box = useRef<HTMLElement | null>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() =>
      setScrolls(
        element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1,
      ),
    );
    watch.observe(element);
    if (element.firstElementChild !== null) watch.observe(element.firstElementChild);
    return () => watch.disconnect();
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
