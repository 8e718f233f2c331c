import { useEffect, useState } from "react";
import { useGroups } from "#web/data/admin/groups.ts";
import { t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import styles from "./group-filter.module.css";

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
      <SelectField
        label={t("people.group")}
        value={groupId}
        options={[["", t("people.everyGroup")], ...groups.map(({ id, name }) => [id, name] as const)]}
        onFocus={() => setOpened(true)}
        onChange={onChange}
      />
    </div>
  );
}
