import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { t } from "#web/words/words.ts";
import styles from "./markdown.module.css";

/** A wide table scrolls in its own box; only then is the box a stop for the keyboard. */
export function TableBox({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth + 1));
    watch.observe(element);
    if (element.firstElementChild !== null) watch.observe(element.firstElementChild);
    return () => watch.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className={styles["tableBox"]}
      data-wide={isWide || undefined}
      {...(isWide ? { role: "region", tabIndex: 0, "aria-label": t("table.label") } : {})}
    >
      {children}
    </div>
  );
}
