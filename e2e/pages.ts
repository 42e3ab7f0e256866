import { expect, type Page, test } from '@playwright/test';
import { openPage, type OpenPage, pageServer, type Place, type Server } from './launch';
import { indexed } from './page-home';

/**
 * For the tests of a group that only look: one server for all of them, and for each a page of its own, where nothing of
 * another is kept. What a page complains of fails its test. To be called in the group, after the hook that makes the home.
 */
export function pagesOf(place: () => Place, begin: (page: Page) => Promise<unknown> = () => Promise.resolve()): { readonly page: Page } {
  let server: Server;
  let opened: OpenPage;
  test.beforeAll(async () => void (server = await pageServer(place())));
  test.afterAll(() => server.end());
  test.beforeEach(async () => {
    opened = await openPage(server);
    await indexed(opened.page);
    await begin(opened.page);
  });
  test.afterEach(async () => {
    expect(opened.complaints).toEqual([]);
    await opened.close();
  });
  return {
    get page() {
      return opened.page;
    },
  };
}
