import type { useNavigate } from "@tanstack/react-router";
import Search from "lucide-react/icons/search";
import { isTooLong } from "#web/search/too-long.ts";
import type { EntryGroup } from "#web/ui/entry-list/entry-groups.tsx";
import { t } from "#web/i18n/translate.ts";

/** Shorter than on the search screen, because there are fewer results. */
export const debounceMs = 100;

/** The entry that searches everything for the typed text. No group if the text is blank or too long. */
export function everywhereEntry(typed: string, navigate: ReturnType<typeof useNavigate>): EntryGroup[] {
  const query = typed.trim();
  if (query === "" || isTooLong(typed)) return [];
  return [
    {
      name: t("palette.more"),
      entries: [
        {
          key: "everywhere",
          icon: Search,
          label: t("palette.everywhere", { typed: query }),
          run: () => void navigate({ to: "/search", search: { q: query } }),
        },
      ],
    },
  ];
}
