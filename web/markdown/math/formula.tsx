import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./formula.module.css";

const drawing = createLazyModule(async () => await import("./draw.ts"));

/** Mathematics, within a line or for display. Until what draws it is here, and where it cannot be read, its TeX stands there. */
export const Formula = memo(function Formula({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  const tool = drawing.use();
  useEffect(() => {
    if (tool === undefined) void drawing.load();
  }, [tool]);
  const drawn = useMemo(
    () => (tool === undefined || tool === "failed" ? undefined : tool.draw(tex, isDisplay)),
    [tool, tex, isDisplay],
  );
  if (drawn === undefined)
    return (
      <code dir="ltr" className={isDisplay ? styles["source"] : undefined}>
        {tex}
      </code>
    );
  return isDisplay ? <Display drawn={drawn} /> : <Inline drawn={drawn} />;
});

function Display({ drawn }: { drawn: Element }) {
  return (
    <ScrollBox as="span" dir="ltr" label={t("formula.label")} className={styles["display"]}>
      <Drawn drawn={drawn} />
    </ScrollBox>
  );
}

/** What is wider than its line does not break, and scrolls in a line of its own. */
function Inline({ drawn }: { drawn: Element }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const line = place.current?.closest("p, li, td, th, h3, h4, h5, h6, div");
    if (line === null || line === undefined) return undefined;
    const watch = new ResizeObserver(() =>
      setWide(drawn.getBoundingClientRect().width > line.clientWidth + 1),
    );
    watch.observe(line);
    return () => watch.disconnect();
  }, [drawn]);
  return (
    <span ref={place} dir="ltr">
      {isWide ? <Display drawn={drawn} /> : <Drawn drawn={drawn} />}
    </span>
  );
}

function Drawn({ drawn }: { drawn: Element }) {
  return <span ref={(element) => element?.replaceChildren(drawn)} />;
}
