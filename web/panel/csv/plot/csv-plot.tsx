import { useEffect, useId, useMemo, useRef, useState } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece } from "#web/ui/load-failure.tsx";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { t } from "#web/i18n/translate.ts";
import { firstColumns, type PlotKind, plottedMax, pointsOf } from "./points.ts";
import styles from "./csv-plot.module.css";

const plots = createLazyModule(
  () => import("./draw-csv-plot.ts"),
  (module) => module,
);

/** Two columns of a table as a plot. The library for it is loaded with the first one. */
export function Plot({
  rows,
  names,
  numeric,
}: {
  rows: readonly (readonly string[])[];
  /** The names of the columns, and which of them have numbers: at least one. */
  names: readonly string[];
  numeric: readonly boolean[];
}) {
  const [kind, setKind] = useState<PlotKind>("line");
  const [first] = useState(() => firstColumns(numeric));
  const [x, setX] = useState(first.x);
  const [y, setY] = useState(first.y);
  const box = useRef<HTMLDivElement>(null);
  const module = plots.use();
  // The colours of a canvas do not follow the page's.
  const [theme] = usePreference("theme");
  const isDark = useMediaQuery("(prefers-color-scheme: dark)");
  const points = useMemo(() => pointsOf(rows, x, y), [rows, x, y]);
  useEffect(() => void plots.load(), []);
  useEffect(() => {
    if (module === undefined || module === "failed" || box.current === null) return undefined;
    return module.drawPlot(box.current, points, kind);
  }, [module, points, kind, theme, isDark]);
  const columns = names.map((name, column) => ({ value: String(column), name }));
  const kinds = (["line", "bars", "scatter"] as const).map((value) => ({ value, name: t(`plot.${value}`) }));
  return (
    <section aria-label={t("plot.label")} className={styles["plot"]}>
      <div className={styles["fields"]}>
        <Choice
          label={t("plot.kind")}
          value={kind}
          options={kinds}
          onChange={(next) => setKind(next as PlotKind)}
        />
        <Choice label="X" value={String(x)} options={columns} onChange={(next) => setX(Number(next))} />
        <Choice
          label="Y"
          value={String(y)}
          options={columns.filter((_, column) => numeric[column])}
          onChange={(next) => setY(Number(next))}
        />
      </div>
      {module === "failed" && <MissingPiece module={plots} />}
      {/* The table below has the same numbers. */}
      <div ref={box} aria-hidden="true" dir="ltr" className={styles["canvas"]} />
      {rows.length > plottedMax && (
        <p className="text-2 ink-faint">{t("plot.first", { count: plottedMax })}</p>
      )}
    </section>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly { value: string; name: string }[];
  onChange(value: string): void;
}) {
  const id = useId();
  return (
    <span className={styles["field"]}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </span>
  );
}
