import { useMemo } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { t } from "#web/i18n/translate.ts";
import { type ChangeSection, changeSectionsOf, withLineEnd } from "./change-sections.ts";
import styles from "./changes-view.module.css";

const comparison = createLazyModule(
  () => import("diff"),
  (module) => ({ diffLines: module.diffLines }),
);

/** Comparing texts that have nothing in common takes long. */
const timeout = 500;

/** What differs between a version and the one before it, line by line. */
export function Changes(versions: { before: string; after: string }) {
  const before = withLineEnd(versions.before);
  const after = withLineEnd(versions.after);
  const loaded = useLoaded(comparison);
  const hasFailed = comparison.use() === "failed";
  const sections = useMemo(() => {
    const changes = loaded?.diffLines(before, after, { timeout });
    return changes === undefined ? undefined : changeSectionsOf(changes);
  }, [loaded, before, after]);
  if (loaded === undefined) return hasFailed ? <MissingPiece module={comparison} /> : null;
  if (sections === undefined) return <p className={styles["none"]}>{t("panel.tooDifferent")}</p>;
  if (before === after) return <p className={styles["none"]}>{t("panel.noChanges")}</p>;
  return (
    <ScrollBox as="pre" dir="ltr" label={t("panel.changes")} className={styles["changes"]}>
      <code>
        {sections.map((section, i) => (
          <SectionView key={i} section={section} />
        ))}
      </code>
    </ScrollBox>
  );
}

function SectionView({ section }: { section: ChangeSection }) {
  switch (section.kind) {
    case "hidden":
      return <span className={styles["hidden"]}>{t("panel.sameLines", { count: section.count })}</span>;
    case "added":
      return <ins className={styles["added"]}>{marked("+", section.lines)}</ins>;
    case "removed":
      return <del className={styles["removed"]}>{marked("-", section.lines)}</del>;
    case "same":
      return <span className="ink-soft">{marked(" ", section.lines)}</span>;
  }
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark} ${line}`).join("\n");
}
