import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { usePreference } from "#web/preferences/preferences.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { plotKinds, type UsagePlotKind } from "./plot-kinds.ts";
import { printDate, type DaySum } from "./sums.ts";
import { UsageTable } from "./usage-table.tsx";
import styles from "./usage-page.module.css";

const plots = createLazyModule(
  () => import("./draw-usage-plot.ts"),
  (module) => module,
  "usage",
);

type Day = { day: string; sum: DaySum };

/**
 * Bars by day, and the same as a table, by default one of requests. The bars need a library that is loaded with the first
 * plot.
 */
export function UsagePlot({
  days,
  kind,
  table,
}: {
  days: readonly Day[];
  kind: UsagePlotKind;
  table?: ReactNode;
}) {
  const [pointed, setPointed] = useState<number>();
  const { title: titleKey, series, print } = plotKinds[kind];
  const title = t(titleKey);
  const id = useId();
  const day = pointed === undefined ? undefined : days[pointed];
  return (
    <figure className="shrink" aria-labelledby={id}>
      <figcaption className={styles["caption"]}>
        <span id={id} className={styles["heading"]}>
          {title}
        </span>
        <span className={styles["legend"]}>
          {day !== undefined && <b>{printDate(day.day)}</b>}
          {series.map(({ name, colour, valueOf }) => {
            const amount = day && valueOf(day.sum);
            const value = day && (amount === undefined ? "–" : print(amount, day.sum));
            if (name === undefined) return value !== undefined && <span key={colour}>{value}</span>;
            return <Key key={colour} colour={colour} name={t(name)} value={value} />;
          })}
        </span>
      </figcaption>
      <Canvas days={days} kind={kind} onPoint={setPointed} />
      <details>
        <summary className={styles["summary"]}>{t("usage.asTable")}</summary>
        {table ?? (
          <UsageTable
            caption={title}
            isCaptionHidden
            head={t("usage.day")}
            rows={days
              .filter(({ sum }) => sum.requests > 0)
              .toReversed()
              .map((row) => ({ name: printDate(row.day), sum: row.sum }))}
          />
        )}
      </details>
    </figure>
  );
}

function Key({ colour, name, value }: { colour: string; name: string; value: string | undefined }) {
  return (
    <span>
      <i className={styles["swatch"]} style={{ background: `var(${colour})` }} />
      {value === undefined ? name : `${name}: ${value}`}
    </span>
  );
}

function Canvas({
  days,
  kind,
  onPoint,
}: {
  days: readonly Day[];
  kind: UsagePlotKind;
  onPoint(index: number | undefined): void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const module = plots.use();
  // The colours of a canvas do not follow the page's.
  const [theme] = usePreference("theme");
  const isDark = useMediaQuery("(prefers-color-scheme: dark)");
  useEffect(() => void plots.load(), []);
  useEffect(() => {
    if (module === undefined || module === "failed" || box.current === null) return undefined;
    return module.drawUsagePlot(box.current, { days, kind, onPoint });
  }, [module, days, kind, onPoint, theme, isDark]);
  // The table below has the same numbers.
  return <div ref={box} aria-hidden="true" dir="ltr" className={styles["canvas"]} />;
}
