import { app, clipboard, Menu, type MenuItemConstructorOptions } from 'electron';
import { externalAddress } from './external-address';

/** What can be copied or pasted at the place that was clicked; Electron brings no such menu of its own. */
export function offerContextMenu(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('context-menu', (_click, { editFlags, isEditable, linkURL, selectionText }) => {
      const link = externalAddress(linkURL);
      const items: MenuItemConstructorOptions[] = [];
      if (link) items.push({ label: 'Copy link address', click: () => clipboard.writeText(link) });
      if (isEditable) items.push({ role: 'cut', enabled: editFlags.canCut });
      if (isEditable || selectionText.trim() !== '') items.push({ role: 'copy', enabled: editFlags.canCopy });
      if (isEditable) items.push({ role: 'paste', enabled: editFlags.canPaste }, { role: 'selectAll' });
      if (items.length > 0) Menu.buildFromTemplate(items).popup();
    });
  });
}
