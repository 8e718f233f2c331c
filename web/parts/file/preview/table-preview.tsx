import { type ReactNode, useEffect, useMemo } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./file-preview.module.css";

/** 500 rows: a look, and quick to draw. */
const rowsMax = 500;

/** Brought when the first table is looked at. */
const parser = createLazyModule(async () => ({ parse: (await import("papaparse")).default.parse }));

/** The rows of a CSV or TSV; the separator is found by what stands there. `instead`: what is shown where they cannot be read. */
export function TableLook({ text, instead }: { text: string; instead: ReactNode }) {
  const parsing = parser.use();
  useEffect(() => void parser.load(), []);
  const rows = useMemo(
    () =>
      typeof parsing === "object"
        ? parsing.parse<string[]>(text, { preview: rowsMax + 1, skipEmptyLines: true }).data
        : undefined,
    [parsing, text],
  );
  if (parsing === "failed") return instead;
  if (rows === undefined) return null;
  const [head = [], ...rest] = rows;
  return (
    <>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col" dir="auto">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.map((row, at) => (
            <tr key={at}>
              {row.map((cell, i) => (
                <td key={i} dir="auto" data-number={isNumber(cell) || undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length === rowsMax && <p className={styles["more"]}>{t("file.rows", { count: rowsMax })}</p>}
    </>
  );
}

function isNumber(cell: string): boolean {
  return /^\s*[-+]?[\d.,\s%€$£]+\s*$/.test(cell);
}
