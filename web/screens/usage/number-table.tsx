import { ScrollBox } from "#web/ui/scroll-box.tsx";
import styles from "./usage-page.module.css";

/** A table whose first column names the rows; the other columns are pairs of a heading and the text of a row. */
export function NumberTable<Row>({
  caption,
  isCaptionHidden = false,
  head,
  nameOf,
  isCode = () => false,
  columns,
  rows,
}: {
  caption: string;
  isCaptionHidden?: boolean;
  /** The heading of the first column. */
  head: string;
  nameOf(row: Row): string;
  isCode?(row: Row): boolean;
  columns: readonly (readonly [heading: string, textOf: (row: Row) => string])[];
  rows: readonly Row[];
}) {
  return (
    <ScrollBox label={caption} className={styles["tableBox"]}>
      <table className={styles["table"]}>
        <caption className={isCaptionHidden ? "visually-hidden" : styles["heading"]}>{caption}</caption>
        <thead>
          <tr>
            {[head, ...columns.map(([heading]) => heading)].map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={nameOf(row)}>
              <th scope="row">
                <bdi dir={isCode(row) ? "ltr" : undefined}>{nameOf(row)}</bdi>
              </th>
              {columns.map(([heading, textOf]) => (
                <td key={heading}>{textOf(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
