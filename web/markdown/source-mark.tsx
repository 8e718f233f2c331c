import { Fragment, use } from "react";
import { t } from "#web/i18n/translate.ts";
import { splitAtMarks } from "./source-marks.ts";
import { SourceMarksContext } from "./source-marks-context.ts";
import styles from "./source-mark.module.css";

/** The number of a source, which opens it. */
export function SourceMark({ number }: { number: number }) {
  const marks = use(SourceMarksContext);
  const source = marks?.sources[number - 1];
  if (marks === undefined || source === undefined) return null;
  return (
    <>
      <button
        type="button"
        className={styles["mark"]}
        aria-label={t("sources.mark", { number, title: source.title })}
        data-tip={source.title}
        onClick={() => marks.open(number)}
      >
        {number}
      </button>
      {/* Browsers do not agree about copying the text of a button. */}
      <span aria-hidden className={styles["copied"]}>
        [{number}]
      </span>
    </>
  );
}

/** A text whose marks open their sources. */
export function MarkedText({ text }: { text: string }) {
  const marks = use(SourceMarksContext);
  if (marks === undefined || marks.sources.length === 0) return text;
  return splitAtMarks(text, marks.sources.length).map((piece, i) =>
    typeof piece === "number" ? <SourceMark key={i} number={piece} /> : <Fragment key={i}>{piece}</Fragment>,
  );
}
