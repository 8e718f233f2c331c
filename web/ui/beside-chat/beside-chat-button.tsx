import { useContext } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useAuiState } from "@assistant-ui/react";
import PanelRight from "lucide-react/icons/panel-right";
import { fileIdOf } from "#web/data/library/own-file.ts";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "../button.tsx";
import { BesideChatContext, fileKey } from "./beside-chat.ts";
import { partWithFile } from "./file-in-chat.ts";

/** Opens a file of a thread in the panel beside it. Nothing for a file that the thread does not have. */
export function BesideChatButton({ address, onOpen }: { address: string; onOpen(): void }) {
  const threadId = useContext(BesideChatContext);
  const fileId = fileIdOf(address);
  if (threadId === undefined || fileId === undefined) return null;
  return <Button threadId={threadId} fileId={fileId} onOpen={onOpen} />;
}

function Button({ threadId, fileId, onOpen }: { threadId: string; fileId: string; onOpen(): void }) {
  const isInThread = useAuiState((s) => partWithFile(s.thread.messages, fileId) !== undefined);
  const navigate = useNavigate();
  if (!isInThread) return null;
  return (
    <IconButton
      icon={PanelRight}
      label={t("panel.openBeside")}
      onClick={() => {
        onOpen();
        void navigate({ to: "/t/$threadId", params: { threadId }, search: { panel: fileKey(fileId) } });
      }}
    />
  );
}
