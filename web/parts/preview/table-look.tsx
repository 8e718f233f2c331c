import { useEffect, useMemo, useState } from "react";
import { t } from "#web/words/words.ts";
import styles from "./file-preview.module.css";

/** 500 rows: a look, and quick to draw. */
const rowsMax = 500;

type Parse = typeof import("papaparse").parse;

/** The rows of a CSV or TSV; the separator is found by what stands there. */
export function TableLook({ text }: { text: string }) {
  const parse = useParse();
  const rows = useMemo(
    () => parse?.<string[]>(text, { preview: rowsMax + 1, skipEmptyLines: true }).data,
    [parse, text],
  );
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

/** Brought when the first table is looked at. */
function useParse(): Parse | undefined {
  const [parse, setParse] = useState<{ parse: Parse }>();
  useEffect(() => {
    void import("papaparse").then(({ default: library }) => setParse({ parse: library.parse }));
  }, []);
  return parse?.parse;
}
