import { memo, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { observeSize } from "#web/lib/observe-size.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import { FormulaMarkupContext } from "./formula-markup.ts";
import styles from "./formula.module.css";

const renderer = createLazyModule(
  () => import("./draw.ts"),
  (module) => module,
);

/** A formula, inline or display. Shows its TeX until the renderer has loaded, and if the TeX is invalid. */
export const Formula = memo(function Formula({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  const markup = useContext(FormulaMarkupContext)?.(tex, isDisplay);
  const loaded = renderer.use();
  useEffect(() => {
    if (loaded === undefined) void renderer.load();
  }, [loaded]);
  const rendered = useMemo(
    () => (loaded === undefined || loaded === "failed" ? undefined : loaded.renderTex(tex, isDisplay)),
    [loaded, tex, isDisplay],
  );
  if (markup !== undefined)
    return (
      <span
        dir="ltr"
        className={styles[isDisplay ? "display" : "inline"]}
        dangerouslySetInnerHTML={{ __html: markup }}
      />
    );
  if (rendered === undefined)
    return (
      <code dir="ltr" className={isDisplay ? styles["source"] : undefined}>
        {tex}
      </code>
    );
  return isDisplay ? <Display rendered={rendered} /> : <Inline rendered={rendered} />;
});

function Display({ rendered }: { rendered: Element }) {
  return (
    <ScrollBox as="span" dir="ltr" label={t("formula.label")} className={styles["display"]}>
      <Rendered rendered={rendered} />
    </ScrollBox>
  );
}

/** A formula that is wider than its line scrolls in a line of its own. */
function Inline({ rendered }: { rendered: Element }) {
  const box = useRef<HTMLSpanElement>(null);
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const line = box.current?.closest("p, li, td, th, h3, h4, h5, h6, div");
    if (line === null || line === undefined) return undefined;
    return observeSize([line], () => setWide(rendered.getBoundingClientRect().width > line.clientWidth + 1));
  }, [rendered]);
  return (
    <span ref={box} dir="ltr" className={styles["inline"]}>
      {isWide ? <Display rendered={rendered} /> : <Rendered rendered={rendered} />}
    </span>
  );
}

function Rendered({ rendered }: { rendered: Element }) {
  return <span ref={(element) => element?.replaceChildren(rendered)} />;
}
