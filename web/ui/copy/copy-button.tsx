import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "../button.tsx";
import { useCopied } from "./use-copied.ts";

/** Copies a text, and shows for 3 s that it did. */
export function CopyButton({
  text,
  label = t("action.copy"),
  size,
}: {
  text(): string;
  label?: string | undefined;
  size?: number;
}) {
  const { isCopied, copy } = useCopied();
  return (
    <>
      <IconButton
        icon={isCopied ? Check : Copy}
        {...(size === undefined ? {} : { size })}
        label={isCopied ? t("action.copied") : label}
        onClick={() => copy(text())}
      />
      <span aria-live="polite" className="visually-hidden">
        {isCopied && t("action.copied")}
      </span>
    </>
  );
}
