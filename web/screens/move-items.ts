import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** The items of a row's menu that move it up and down in its list. `reorder` gets the ids in their new order. */
export function moveItems(
  rows: readonly { id: string }[],
  id: string,
  reorder: (ids: string[]) => Promise<unknown>,
): MenuItem[] {
  const ids = rows.map((row) => row.id);
  const index = ids.indexOf(id);
  const moveTo = (to: number) => () =>
    void reorder(ids.toSpliced(index, 1).toSpliced(to, 0, id)).catch(showFailure);
  return [
    ...(index > 0 ? [{ label: t("assistants.up"), icon: ArrowUp, onSelect: moveTo(index - 1) }] : []),
    ...(index < ids.length - 1
      ? [{ label: t("assistants.down"), icon: ArrowDown, onSelect: moveTo(index + 1) }]
      : []),
  ];
}
