import Maximize from "lucide-react/icons/maximize-2";
import Minimize from "lucide-react/icons/minimize-2";
import X from "lucide-react/icons/x";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "#web/ui/button.tsx";
import type { PanelAddress } from "./panel-address.ts";
import type { PanelSearch } from "./panel-search.ts";

/** Lets the panel cover the window, unless it always covers the thread, and closes it. */
export function SizeButtons({
  search: { full },
  isOver,
  address,
}: {
  search: PanelSearch;
  isOver: boolean;
  address: PanelAddress;
}) {
  return (
    <>
      {(!isOver || full !== undefined) && (
        <IconButton
          icon={full === undefined ? Maximize : Minimize}
          label={t("panel.full")}
          aria-pressed={full !== undefined}
          onClick={() => void address.update({ full: full === undefined ? "1" : undefined })}
        />
      )}
      <IconButton icon={X} label={t("panel.close")} keys="Esc" onClick={() => void address.close()} />
    </>
  );
}
