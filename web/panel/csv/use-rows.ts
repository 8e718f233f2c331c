import { useEffect, useState } from "react";
import { csvParser } from "#web/parts/file/preview/csv-parser.ts";
import type { Table } from "./rows.ts";

/** Rows in the first step, which are on the screen at once, and in each further one. */
const firstRows = 500;
const stepRows = 20_000;

/** The table in a text of comma or tab separated values, as far as it is read. The first rows come at once. */
export function useRows(text: string): { table: Table | undefined; isComplete: boolean; hasFailed: boolean } {
  const loaded = csvParser.use();
  const [read, setRead] = useState<{ text: string; table: Table; isComplete: boolean }>();
  useEffect(() => void csvParser.load(), []);
  useEffect(() => {
    if (typeof loaded !== "object") return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let delimiter: string | undefined;
    let rows: string[][] = [];
    const readFrom = (start: number) => {
      const { data, meta } = loaded.parse<string[]>(text.slice(start), {
        preview: start === 0 ? firstRows + 1 : stepRows,
        skipEmptyLines: true,
        // With it, the parser's cursor is a row too far.
        fastMode: false,
        ...(delimiter === undefined ? {} : { delimiter }),
      });
      delimiter = meta.delimiter;
      rows = [...rows, ...data];
      const [head = [], ...rest] = rows;
      const isComplete = !meta.truncated || meta.cursor === 0;
      setRead({ text, table: { head, rows: rest }, isComplete });
      // Between the steps, the page answers keys.
      if (!isComplete) timer = setTimeout(() => readFrom(start + meta.cursor));
    };
    readFrom(0);
    return () => clearTimeout(timer);
  }, [loaded, text]);
  const isCurrent = read?.text === text;
  return {
    table: isCurrent ? read.table : undefined,
    isComplete: isCurrent && read.isComplete,
    hasFailed: loaded === "failed",
  };
}
