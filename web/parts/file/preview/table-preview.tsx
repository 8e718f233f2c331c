import { type ReactNode, useEffect, useMemo } from "react";
import { t } from "#web/i18n/translate.ts";
import { csvParser } from "./csv-parser.ts";
import styles from "./file-preview.module.css";

/** 500 rows are enough for a preview and render quickly. */
const rowsMax = 500;

/** The rows of a CSV or TSV file. The separator is detected. `fallback` is shown if the parser does not load. */
export function TablePreview({ text, fallback }: { text: string; fallback: ReactNode }) {
  const loadedParser = csvParser.use();
  useEffect(() => void csvParser.load(), []);
  const rows = useMemo(
    () =>
      typeof loadedParser === "object"
        ? loadedParser.parse<string[]>(text, { preview: rowsMax + 1, skipEmptyLines: true }).data
        : undefined,
    [loadedParser, text],
  );
  if (loadedParser === "failed") return fallback;
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
          {rest.map((row, index) => (
            <tr key={index}>
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
