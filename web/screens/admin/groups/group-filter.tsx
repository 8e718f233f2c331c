import { useEffect, useState } from "react";
import { useGroups } from "#web/data/people/groups.ts";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../../form/field.tsx";
import styles from "../admin.module.css";

/** Chooses a group, or everybody if `groupId` is empty. Nothing while there are no groups. */
export function GroupFilter({ groupId, onChange }: { groupId: string; onChange(groupId: string): void }) {
  const { groups, hasMore, isLoadingMore, loadMore } = useGroups("");
  const [isOpened, setOpened] = useState(false);
  // Most servers have a single page of groups.
  useEffect(() => {
    if (isOpened && hasMore && !isLoadingMore) loadMore();
  }, [isOpened, hasMore, isLoadingMore, loadMore]);
  if (groups.length === 0) return null;
  return (
    <div className={styles["filter"]}>
      <Field label={t("people.group")}>
        {(props) => (
          <select
            {...props}
            value={groupId}
            className={fieldStyles["input"]}
            onFocus={() => setOpened(true)}
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            <option value="">{t("people.everyGroup")}</option>
            {groups.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
