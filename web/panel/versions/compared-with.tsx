import { useId } from "react";
import type { ArtifactVersion } from "#contract/artifacts/artifacts.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./version-list.module.css";

/** Chooses the version that another one is compared with. */
export function ComparedWith({
  versions,
  index,
  base,
  onBase,
}: {
  versions: readonly ArtifactVersion[];
  /** The version that is shown. */
  index: number;
  /** The id of the one that it is compared with, unless that is the one before it. */
  base: string | undefined;
  onBase(id: string | undefined): void;
}) {
  const id = useId();
  return (
    <p className={styles["base"]}>
      <label htmlFor={id}>{t("panel.comparedWith")}</label>
      <select
        id={id}
        value={base ?? ""}
        onChange={({ currentTarget: { value } }) => onBase(value === "" ? undefined : value)}
      >
        {index > 0 && <option value="">{t("panel.versionJustBefore")}</option>}
        {versions.map(
          (version, at) =>
            at !== index && (
              <option key={version.id} value={version.id}>
                {t("panel.versionNumber", { number: at + 1 })}
              </option>
            ),
        )}
      </select>
    </p>
  );
}
