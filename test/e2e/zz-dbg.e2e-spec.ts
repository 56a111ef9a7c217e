import { dataIn, chatBody, userMessage } from './support/chat.js';
import { asks, fresh, post, eventsIn } from './support/client.js';
import { openDesk } from './support/desk.app.js';
import { says4ever, thinks4ever } from './support/visit.js';
it.each([['agui', says4ever], ['agui', thinks4ever], ['chat', thinks4ever], ['chat', says4ever]] as const)('%s', async (how, line) => {
  const desk = await openDesk();
  desk.play([line]);
  const response = how === 'agui' ? await post(desk, 'runs', asks('go')) : await post(desk, 'chat', chatBody(fresh('chat'), [userMessage('go')]));
  const data = how === 'agui' ? eventsIn(response) : dataIn(response);
  const t = performance.now();
  const closing = desk.close().then(() => console.log('closed', performance.now() - t));
  console.log(how, JSON.stringify((await data).slice(-2)), performance.now() - t);
  await closing;
}, 8000);
