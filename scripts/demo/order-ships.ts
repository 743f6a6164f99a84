import { demand, play, type Story, setTheStage } from './stage.ts';

const createdAt = '2026-01-15T09:30:00.123456';
const order = { pk: 'ORDER#o-1001', sk: 'METADATA' };
const userOrder = { pk: 'USER#42', sk: `ORDER#${createdAt}` };
const items = ['p-7', 'p-8'].map((product) => ({
  PK: order.pk,
  SK: `ITEM#${product}`,
  Type: 'OrderItem',
  ProductId: product,
  ProductName: product === 'p-7' ? 'Mug' : 'Poster',
  Price: 19.99,
  Quantity: 3,
}));

/** An order is created and shipped. Its keys, the keys of its items, and the user's order follow. */
export const orderShips: Story = {
  title: "An order is created and shipped: its keys, its items' keys and the user's order follow",
  async tell(stage) {
    const { application } = stage;
    await setTheStage(stage, []);
    const head = {
      PK: order.pk,
      SK: order.sk,
      Type: 'Order',
      UserId: '42',
      Status: 'PENDING',
      Total: 119.94,
      CreatedAt: createdAt,
      GSI1PK: 'USER#42',
      GSI1SK: `ORDER#${createdAt}`,
    };
    const copy = {
      PK: userOrder.pk,
      SK: userOrder.sk,
      Type: 'UserOrder',
      OrderId: 'o-1001',
      Status: 'PENDING',
      Total: 119.94,
    };
    await play(
      stage,
      [
        { key: order, attributes: { ...head, GSI2PK: 'STATUS#PENDING', GSI2SK: `ORDER#${createdAt}` } },
        ...items.map((item) => ({
          key: { pk: item.PK, sk: item.SK },
          attributes: { ...item, GSI3PK: `PRODUCT#${item.ProductId}`, GSI3SK: `SALE#${createdAt}` },
        })),
      ],
      async () => {
        for (const item of [head, copy, ...items]) await application.put(item);
      },
    );
    await play(
      stage,
      [
        { key: order, attributes: { Status: 'SHIPPED', GSI2PK: 'STATUS#SHIPPED' } },
        { key: userOrder, attributes: { Status: 'SHIPPED' } },
      ],
      () => application.update(order, { Status: 'SHIPPED' }),
    );
    const shipped = await application.newest('GSI2', 'STATUS#SHIPPED');
    demand(
      shipped.some(({ PK }) => PK === order.pk),
      'a query for shipped orders finds it',
    );
    const pending = await application.newest('GSI2', 'STATUS#PENDING');
    demand(!pending.some(({ PK }) => PK === order.pk), 'a query for pending orders does not');
  },
};
